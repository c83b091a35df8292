// Package proxy tests several processes of mcp-http behind load balancers: those with configurations
// in examples/proxy, and a small one in this package.
package proxy
