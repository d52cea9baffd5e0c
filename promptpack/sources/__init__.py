"""The name of a source -> `Folder`, by `opening.open_folder`: git revisions, archives, wheels and URLs."""
