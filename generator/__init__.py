"""The LLM Capacity Handbook: sourced specs in, computed pages out."""

__version__ = "2026.11"
