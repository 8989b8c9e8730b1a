"""The twin for coding agents: an MCP server with compile, test, profile, lint, search_knowledge and solve."""
