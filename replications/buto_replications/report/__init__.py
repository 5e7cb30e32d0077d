"""The experiments of the thesis as page, pictures and text. Decides nothing: numbers come as words."""
