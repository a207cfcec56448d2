import Foundation

/// Where the chosen environment is kept between two runs of an app.
public protocol EnvironmentStore: Sendable {
    /// The name that was saved last, if any was.
    func load() throws -> String?
    func save(_ name: String) throws
}

/// Keeps the environment in the user's defaults, where a settings bundle or a launch argument can set it too.
public struct DefaultsEnvironmentStore: EnvironmentStore {
    private let key: String
    private let suite: String?

    /// - Parameter suite: The name of the defaults; `nil` are the app's own.
    public init(key: String = "catena.environment", suite: String? = nil) {
        self.key = key
        self.suite = suite
    }

    public func load() -> String? { defaults.string(forKey: key) }

    public func save(_ name: String) {
        let defaults = defaults
        defaults.set(name, forKey: key)
        // Without this nothing reaches the disk on Linux.
        _ = defaults.synchronize()
    }

    private var defaults: UserDefaults { suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard }
}
