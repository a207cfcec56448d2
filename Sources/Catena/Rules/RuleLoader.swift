public import Foundation

/// The source of a server's rules.
public enum RuleOrigin: Sendable {
    /// The rules that the server sent.
    case server
    /// The copy that was kept, and why the server's rules were not used.
    case cache(because: any Error)
}

// The one place where rules meet files and servers.
extension Rules {
    /// Reads a file of rules, and puts them in place of those that there are.
    ///
    /// - Throws: An ``APIError`` if the file cannot be read, or ``RuleFaults``; then nothing has changed.
    public func load(file: URL) throws {
        try load(try Self.read(file))
    }

    /// Gets rules from a server and puts them in place of those that there are. They are kept, for when the server cannot be reached
    /// or has rules that are wrong; then the ones that were kept last are loaded. A server's rules may be newer than the app:
    /// keys that this version does not know are left out, and reported as a diagnostic.
    ///
    /// ```swift
    /// try await API.rules.load(from: API.get("https://…/rules.json"), keepingCopyIn: folder.appending(path: "Rules.json"))
    /// ```
    ///
    /// The author of the rules decides where calls go with the credentials and the common headers of their tags. So a server's rules lead to the hosts
    /// of the app only: those of its tags, and those that rules of its own have named. Rules with another origin are wrong.
    ///
    /// - Parameters:
    ///   - request: Gets the rules.
    ///   - copy: The file in which they are kept.
    ///   - origins: Other origins to which the rules may lead, such as `https://forum.example.com`.
    /// - Throws: Why there are no rules from the server, if there is no copy that could be used either; then nothing has changed.
    @discardableResult
    public func load(from request: Request, keepingCopyIn copy: URL, allowing origins: [String] = []) async throws -> RuleOrigin {
        let places = RulePlaces(of: client, allowing: origins)
        do {
            let data = try await request.envelope(.raw).data()
            let rules = try RuleSet(parsing: data, registry: registry, mayBeNewer: true)
            try places.check(rules)
            // Before they are used, so that a copy that cannot be kept is no surprise later. In one step: who reads sees old or new.
            try OwnerOnlyFile.write(data, to: copy, isDurable: true)
            install(rules)
            report(rules.warnings)
            return .server
        } catch let reason {
            // Who cancels wants no rules at all.
            guard !(reason is CancellationError), let kept = try? Self.read(copy),
                let rules = try? RuleSet(parsing: kept, registry: registry, mayBeNewer: true), (try? places.check(rules)) != nil
            else { throw reason }
            install(rules)
            report(rules.warnings)
            return .cache(because: reason)
        }
    }

    private func report(_ warnings: [RuleFault]) {
        guard !warnings.isEmpty else { return }
        let all = warnings.map(\.description).joined(separator: "; ")
        client.diagnostics.report(.rules, "The rules of the server have what this version does not know, and go without it: \(all).")
    }

    private static func read(_ file: URL) throws -> Data {
        do {
            return try Data(contentsOf: file)
        } catch {
            throw APIError.file("The rules could not be read", underlying: error)
        }
    }
}
