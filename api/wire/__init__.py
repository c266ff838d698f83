"""Requests and responses, by the names that clients rely on."""
