/// Gives one token after the other.
actor Tokens {
    private var tokens: [String]

    init(_ tokens: String...) {
        self.tokens = tokens
    }

    func next() -> String? {
        tokens.isEmpty ? nil : tokens.removeFirst()
    }
}
