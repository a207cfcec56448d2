import Catena

extension Forum {
    /// The settings that the program and the tests have in common.
    public static func configure(_ forum: inout Profile) {
        forum.host = "http://127.0.0.1:8000"
        forum.timeout = .seconds(5)
        forum.retry = .exponential(limit: 2)
    }
}
