import CatenaPlatform

/// The settings that an app keeps for its user: the user defaults, or a JSON file on Linux, where Foundation's essentials have none.
struct UserSettings {
    let suite: String?

    #if canImport(FoundationEssentials)
    private static let lock = Mutex(())
    private static let longest = 1_000_000

    func value(for key: String) throws -> Any? { try read()[key]?.value }

    func set(_ value: [String: String]?, for key: String) throws { try write(value.map(Entry.texts), for: key) }

    func set(_ value: String, for key: String) throws { try write(.text(value), for: key) }

    private func read() throws -> [String: Entry] {
        guard let data = try OwnerOnlyFile.read(file, limit: Self.longest) else { return [:] }
        return try JSONDecoder().decode([String: Entry].self, from: data)
    }

    private func write(_ entry: Entry?, for key: String) throws {
        try Self.lock.withLock { _ in
            var entries = try read()
            entries[key] = entry
            guard !entries.isEmpty else { return try LocalFile.remove(file.path) }
            try OwnerOnlyFile.makeFolder(file.deletingLastPathComponent())
            try OwnerOnlyFile.write(try JSONEncoder().encode(entries), to: file, isDurable: true)
        }
    }

    /// The file in the folder that the XDG Base Directory Specification names.
    private var file: URL {
        let environment = ProcessInfo.processInfo.environment
        let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? (environment["HOME"] ?? "/") + "/.config"
        let name = (suite ?? ProcessInfo.processInfo.processName).map { $0 == "/" ? "_" : String($0) }.joined()
        return URL(filePath: folder).appending(path: "catena").appending(path: "\(name).json")
    }

    private enum Entry: Codable {
        case text(String)
        case texts([String: String])

        var value: Any {
            switch self {
            case .text(let text): text
            case .texts(let texts): texts
            }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            self =
                if let text = try? container.decode(String.self) { .text(text) } else {
                    .texts(try container.decode([String: String].self))
                }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .texts(let texts): try container.encode(texts)
            }
        }
    }
    #else
    private var defaults: UserDefaults { suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard }

    func value(for key: String) throws -> Any? { defaults.object(forKey: key) }

    func set(_ value: Any?, for key: String) throws { defaults.set(value, forKey: key) }
    #endif
}
