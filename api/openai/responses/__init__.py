"""OpenAI's Responses API: responses, conversations, and the translation of both to chat completions and back."""
