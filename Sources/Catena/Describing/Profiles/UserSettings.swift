import CatenaPlatform

/// The settings that an app keeps for its user: the user defaults, or a JSON file on Linux, where Foundation's essentials have none.
struct UserSettings {
    let suite: String?

    #if !canImport(Darwin)
    private static let longest = 1_000_000

    func text(for key: String) throws -> String? { try failing { try read()[key]?.string } }

    /// Returns `nil` if there is no entry. Throws if it is not a dictionary of texts.
    func texts(for key: String) throws -> [String: String]? {
        guard let entry = try failing({ try read()[key] }) else { return nil }
        guard let members = entry.object else { throw Self.notTexts(key) }
        return try members.reduce(into: [:]) { texts, member in
            guard let text = member.value.string else { throw Self.notTexts(key) }
            texts[member.key] = text
        }
    }

    func set(_ texts: [String: String]?, for key: String) throws {
        try write(texts.map { JSON(members: $0.map { .init(key: $0, value: JSON(stringLiteral: $1)) }) }, for: key)
    }

    func set(_ text: String, for key: String) throws { try write(JSON(stringLiteral: text), for: key) }

    /// Entries of other types stay as they are.
    private func read() throws -> [String: JSON] {
        guard let data = try OwnerOnlyFile.read(file, limit: Self.longest), !data.isEmpty else { return [:] }
        do {
            return try JSONDecoder().decode([String: JSON].self, from: data)
        } catch is DecodingError {
            throw FileError(action: "read", path: file.path, code: EINVAL, reason: "It is not a JSON object")
        }
    }

    /// Changes one entry. The lock in the folder keeps other threads and processes from changing another one meanwhile.
    private func write(_ entry: JSON?, for key: String) throws {
        try failing {
            try OwnerOnlyFile.makeFolder(file.deletingLastPathComponent())
            let lock = try OwnerOnlyFile.awaitLock(file.deletingLastPathComponent().appending(path: ".lock"))
            defer { OwnerOnlyFile.unlock(lock) }
            var entries = try read()
            entries[key] = entry
            guard !entries.isEmpty else { return try LocalFile.remove(file.path) }
            try OwnerOnlyFile.write(try JSONEncoder().encode(entries), to: file, isDurable: true)
        }
    }

    private func failing<Value>(_ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error as FileError {
            throw APIError(.file, message: "\(error).", underlying: error)
        }
    }

    /// The file in the folder that the XDG Base Directory Specification names.
    var file: URL {
        let named = ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
        let folder = named ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config")
        // A combining accent would make one character of it and the slash.
        let name = (suite ?? ProcessInfo.processInfo.processName).unicodeScalars.map { $0 == "/" ? "_" : String($0) }.joined()
        return folder.appending(path: "catena").appending(path: "\(name).json")
    }
    #else
    private var defaults: UserDefaults { suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard }

    /// Also a number, which a settings bundle may store.
    func text(for key: String) throws -> String? { defaults.string(forKey: key) }

    /// Returns `nil` if there is no entry. Throws if it is not a dictionary of texts.
    func texts(for key: String) throws -> [String: String]? {
        guard let stored = defaults.object(forKey: key) else { return nil }
        guard let texts = stored as? [String: String] else { throw Self.notTexts(key) }
        return texts
    }

    func set(_ value: Any?, for key: String) throws { defaults.set(value, forKey: key) }
    #endif

    private static func notTexts(_ key: String) -> APIError {
        .invalid("hosts", "what stands under \"\(key)\" in the user's defaults is not a dictionary of texts")
    }
}
