"""Fits the weights by which recall ranks."""
