"""Predicted against measured: rows of public measurements, what is predicted for each, and how far off it is.

A `Row` is a line of a table. A `Family` says which rows it is about, expresses a row as a `Case`, and predicts from the
inputs of a case and a few constants. The constants stand in `specs/calibrations`, with their bands.
"""
