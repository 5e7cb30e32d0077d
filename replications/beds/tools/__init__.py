"""A bed of real tools: releases that follow each other, with what is true of them counted beforehand."""
