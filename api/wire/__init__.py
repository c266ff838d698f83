"""What goes over the wire? Requests and responses, by the names that clients rely on."""
