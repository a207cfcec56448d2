/// Whole calls against a server in this process.
func loopbackGroup(_ effort: Effort) async throws {
}
