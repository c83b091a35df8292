#!/usr/bin/env bash
cat counter.txt
