import ArgumentParser
import Catena

/// The options for the forum's address and the user's token.
struct Connection: ParsableArguments {
    @Option(help: "The address of the forum (default: $ROOMS_URL).")
    var url: String?

    @Option(help: "The access token (default: $ROOMS_TOKEN). Prefer the variable: other users may see the arguments of a process.")
    var token: String?

    @Option(help: "How often a call that fails is sent again.")
    var retries = 2

    @Flag(name: .shortAndLong, help: "Log each request to standard error.")
    var verbose = false

    func validate() throws {
        guard retries >= 0 else { throw ValidationError("--retries must not be negative.") }
    }

    /// Configures the client, as an app does once at start-up.
    func configure(_ environment: [String: String], log: LogSink) throws {
        guard let host = url ?? environment["ROOMS_URL"] else {
            throw ValidationError("The address of the forum is missing: pass --url, or set ROOMS_URL.")
        }
        let secret = token ?? environment["ROOMS_TOKEN"]
        let policy = RetryPolicy.exponential(limit: retries)
        API.configure(.forum) { forum in
            forum.host = host
            forum.timeout = .seconds(20)
            forum.retry = policy
            if let secret { forum.authentication = .bearer(secret) }
        }
        if verbose { API.log(to: log) }
    }
}
