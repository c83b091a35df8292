// Package ptytest runs programs on a terminal and shows tests what a person would see
// there: the screen as it is, and every screen that there was. Only tests import it.
package ptytest
