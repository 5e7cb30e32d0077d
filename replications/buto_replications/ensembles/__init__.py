"""Prior tests from unlike machines: the paper's worked example, and each environment left out once."""
