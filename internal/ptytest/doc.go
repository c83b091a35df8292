// Package ptytest runs programs on a terminal and gives tests what a person would see
// there: the current screen, and every earlier one. Only tests import it.
package ptytest
