/// The first steps of a request to a backend, and the configuration of the client that an app shares.
///
/// ```swift
/// API.tag(.forum).get("/users").execute(as: [User].self)
///     .then { users in self.show(users) }
///     .catch { error in self.alert(error.localizedDescription) }
/// ```
public enum API {
    /// The version of the package, such as `1.2.3`.
    public static let version = "0.11.0"
}

extension API {
    /// A set of servers that an app can use, such as those for tests.
    ///
    /// An extension can add environments:
    ///
    /// ```swift
    /// extension API.Environment {
    ///     static let canary: Self = "canary"
    /// }
    /// ```
    public struct Environment: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The name of the environment.
        public let name: String

        /// Creates an environment from its name.
        public init(_ name: String) {
            self.name = name
        }

        public init(stringLiteral name: String) {
            self.name = name
        }

        public var description: String { name }

        /// The servers that released apps use.
        public static let production: Self = "production"
        /// The servers on which a release is tested.
        public static let staging: Self = "staging"
        /// The servers for development.
        public static let development: Self = "development"
    }
}
