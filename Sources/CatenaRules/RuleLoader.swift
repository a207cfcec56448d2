public import Catena
public import CatenaPlatform

/// The source of a server's rules.
public enum RuleOrigin: Sendable {
    /// The rules that the server sent.
    case server
    /// The stored copy, and the reason why the server's rules were not used.
    case cache(because: any Error)
}

// The only file in which rules access files and servers.
extension Rules {
    /// Reads a file of rules and replaces all current rules.
    ///
    /// - Throws: An `APIError` if the file cannot be read, or ``RuleFaults``. The current rules then stay.
    public func load(file: URL) throws {
        try load(try Self.read(file, .any))
    }

    /// Loads rules from a server, replaces all current rules and stores a copy. If the server is unreachable, its rules have faults or the copy
    /// cannot be written, the last copy is loaded. A server's rules may be newer than the app: unknown keys are ignored and reported as a
    /// diagnostic.
    ///
    /// ```swift
    /// try await API.rules.load(from: API.get("https://…/rules.json"), keepingCopyIn: folder.appending(path: "Rules.json"))
    /// ```
    ///
    /// The author of the rules decides where calls send the credentials and common headers of their tags. So a server's rules may name only the
    /// origins of the app: those of its tags, and those of rules that the app itself has loaded. Any other origin is a fault.
    ///
    /// - Parameters:
    ///   - request: The request for the rules.
    ///   - copy: The file for the copy.
    ///   - origins: Other origins that the rules may name, such as `https://forum.example.com`.
    /// - Returns: The source of the loaded rules.
    /// - Throws: The reason why the server's rules were not used, if the copy cannot be used either. The current rules then stay.
    @discardableResult
    public func load(from request: Request, keepingCopyIn copy: URL, allowing origins: [String] = []) async throws -> RuleOrigin {
        let places = RulePlaces(of: client, allowing: origins)
        do {
            let data = try await request.envelope(.raw).data()
            let rules = try RuleSet(parsing: data, registry: registry, mayBeNewer: true)
            try places.check(rules)
            // The copy is written before the rules are used, so that a failure shows now, and atomically, so that no reader sees half of it.
            try OwnerOnlyFile.write(data, to: copy, isDurable: true)
            install(rules)
            report(rules.warnings)
            return .server
        } catch let reason {
            // A cancelled load installs no rules, not even the copy.
            guard !(reason is CancellationError), let kept = try? Self.read(copy, .own),
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

    /// The longest file of rules, in bytes.
    private static let longest = 64 << 20

    private static func read(_ file: URL, _ trust: LocalFile.Trust) throws -> Data {
        do {
            guard let (data, _) = try LocalFile.read(file.path, trust, limit: longest) else { throw CocoaError(.fileReadNoSuchFile) }
            return data
        } catch {
            throw APIError.file("The rules could not be read", underlying: error)
        }
    }
}
