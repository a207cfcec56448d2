extension APIError {
    /// What an error asks for, as the ``Envelope`` of its backend says. More may come.
    public struct Category: Hashable, Sendable, CustomStringConvertible {
        public let name: String

        /// A category of an app's own.
        public init(_ name: String) {
            self.name = name
        }

        public var description: String { name }

        /// The caller has to sign in.
        public static let authentication = Category("authentication")
        /// Another attempt may help.
        public static let retryable = Category("retryable")
        /// The params are not valid.
        public static let validation = Category("validation")
        /// The backend is closed for a while.
        public static let maintenance = Category("maintenance")
    }
}
