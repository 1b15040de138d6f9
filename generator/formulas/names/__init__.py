"""Rows of the nomenclature, a module for each section."""
