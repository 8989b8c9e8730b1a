"""One module per command: options in, one call into a room, result out. Rooms are imported lazily."""
