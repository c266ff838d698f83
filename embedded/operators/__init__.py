"""What do MongoDB's filters, updates, projections and pipelines mean? Pure functions on decoded documents."""
