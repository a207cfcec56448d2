import Catena
public import CatenaPlatform

/// One fault of a rule file.
public struct RuleFault: Sendable, Equatable, CustomStringConvertible {
    /// The path of the fault, from the top: `@forum.TopicList.Expire`; "" for the whole file.
    public let path: String
    /// The reason, as a message for developers.
    public let reason: String

    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

/// All faults of a rule file. A file with faults is not loaded.
public struct RuleFaults: Error, Sendable, Equatable, LocalizedError, CustomStringConvertible {
    /// The faults, at least one, in the order of the file.
    public let faults: [RuleFault]

    init(_ faults: [RuleFault]) {
        self.faults = faults
    }

    init(_ reason: String) {
        faults = [RuleFault(path: "", reason: reason)]
    }

    /// The faults, one per line.
    public var description: String { faults.map(\.description).joined(separator: "\n") }

    public var errorDescription: String? { description }
}

/// Finds all faults of a rule file, for the tests of an app.
///
/// ```
/// swift run catena-demo --check-rules Rules.json
/// ```
public enum RuleLint {
    /// Returns all faults that keep the file from being loaded, or if there are none, the rules without a path.
    ///
    /// - Parameters:
    ///   - data: The content of the file, JSON or a property list.
    ///   - registry: The names that the rules may use. The default registry accepts every `Response Class`.
    public static func faults(in data: Data, registry: RuleRegistry = RuleRegistry(checksClasses: false)) -> [RuleFault] {
        do throws(RuleFaults) {
            let rules = try RuleSet(parsing: data, registry: registry)
            return rules.names.filter { rules[$0]?.path == nil }.map {
                RuleFault(path: $0, reason: "it has no \"Path\", and neither has \"DEFAULT\"")
            }
        } catch {
            return error.faults
        }
    }
}
