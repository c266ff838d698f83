"""Fits the adapter of the local encoder."""
