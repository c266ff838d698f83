"""The front door for MCP: tools, resources and a prompt, over HTTP and over standard input and output."""
