"""MongoDB's filters, updates, projections and pipelines: pure functions on decoded documents."""
