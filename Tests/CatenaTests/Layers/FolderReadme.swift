import Foundation

/// The README of a folder or a target: a title and five lines.
struct FolderReadme {
    /// The layers or targets that the owner of a README may use.
    enum Use {
        /// The layers up to this one.
        case layersUpTo(String)
        /// These targets of the package.
        case targets([String])
    }

    static let labels = ["Contents", "May use", "Begin with", "Tests", "Hands on"]

    /// The folder, relative to the package.
    let path: String
    let text: String

    init(path: String, text: String) {
        (self.path, self.text) = (path, text)
    }

    /// Reads the README of a folder.
    init(_ path: String) throws {
        self.init(path: path, text: try String(contentsOf: .packageRoot.appending(path: path + "/README.md"), encoding: .utf8))
    }

    /// Returns what is wrong with the README.
    func faults(mayUse use: Use) -> [String] {
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("- ") }
        let found = zip(lines, Self.labels).prefix { $0.hasPrefix("- **\($1):** ") }.count
        guard found == Self.labels.count, lines.count == found else { return ["it has \(found) of the five lines"] }
        var faults = missing
        switch use {
        case .layersUpTo(let layer):
            if !lines[1].contains("the layers up to `\(layer)`") { faults.append("it may use the layers up to \(layer)") }
        case .targets(let names):
            if Set(Self.spans(in: String(lines[1]))) != Set(names) { faults.append("it may use \(names)") }
        }
        if !lines[2].contains(".swift") && !lines[2].contains(".h") { faults.append("it names no file to begin with") }
        return faults
    }

    /// The files, folders and declarations that the README names and that do not exist.
    var missing: [String] {
        let folder = URL.packageRoot.appending(path: path)
        let links = text.matches(of: /\]\(([^)#]+)[^)]*\)/).map { String($0.1) }
        let missingLinks = links.filter { !Self.exists($0, in: folder) }
        let plain = text.replacing(/\[[^\]]*\]\([^)]*\)/, with: "")
        let missingNames = Self.spans(in: plain).filter { name in
            if Self.roots(of: folder).contains(where: { Self.exists(name, in: $0) }) { return false }
            if name.contains("/") || name.hasSuffix(".swift") { return true }
            guard let word = name.prefixMatch(of: /\w+/)?.0 else { return false }
            return !Self.words.contains(word)
        }
        return (missingLinks + missingNames).map { "there is no \($0)" }
    }

    // MARK: The files

    /// Returns the folders of the library.
    static func layers() throws -> [String] { try folders(in: "Sources/Catena") }

    /// Returns the folders of the targets.
    static func targets() throws -> [String] { try folders(in: "Sources") }

    /// Returns the dependencies of a target in the text of a manifest.
    static func dependencies(of target: String, in manifest: String) -> [String] {
        let names = manifest.matches(of: /name: "([\w-]+)",\s*dependencies: \[((?:[^\[\]]|\[[^\]]*\])*)\]/)
        guard let entry = names.first(where: { $0.1 == target }) else { return [] }
        return entry.2.matches(of: /"([\w-]+)"/).map { String($0.1) }
    }

    private static func folders(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            at: .packageRoot.appending(path: path), includingPropertiesForKeys: [.isDirectoryKey]
        )
        .filter { $0.pathExtension != "docc" && $0.hasDirectoryPath }
        .map { "\(path)/\($0.lastPathComponent)" }.sorted()
    }

    private static func exists(_ name: String, in folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: name).standardizedFileURL.path)
    }

    /// The folders to which a name may be relative.
    private static func roots(of folder: URL) -> [URL] {
        [folder, .packageRoot.appending(path: "Sources/Catena"), .packageRoot.appending(path: "Sources"), .packageRoot]
    }

    private static func spans(in text: String) -> [String] { text.matches(of: /`([^`]+)`/).map { String($0.1) } }

    /// The words of the Swift files of all targets.
    private static let words: Set<Substring> = {
        let root = URL.packageRoot.appending(path: "Sources")
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }.reduce(into: []) { words, path in
            let text = (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? ""
            words.formUnion(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
        }
    }()
}
