"""Chat models: any langchain-core model by name, and two that ship with the package."""
