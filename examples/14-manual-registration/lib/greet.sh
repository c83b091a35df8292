#!/usr/bin/env bash
echo "registered by hand"
