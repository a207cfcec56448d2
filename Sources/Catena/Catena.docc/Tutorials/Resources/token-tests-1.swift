/// Returns the given tokens in order, then `nil`.
actor Tokens {
    private var tokens: [String]

    init(_ tokens: String...) {
        self.tokens = tokens
    }

    func next() -> String? {
        tokens.isEmpty ? nil : tokens.removeFirst()
    }
}
