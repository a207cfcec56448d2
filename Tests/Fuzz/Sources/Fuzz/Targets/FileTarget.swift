import Foundation

@testable import Catena

extension FuzzTarget {
    /// The kinds of what is at the path of a file of Catena.
    private enum Kind: CaseIterable { case nothing, file, folder, pipe, link, ownLink }

    /// Files that Catena wrote, in whose places there may be anything. Only a whole, bounded file of the owner alone is read. Nothing else is replaced or
    /// removed, and no error shows the content.
    static let files = FuzzTarget(
        "files",
        seeds: [
            "\u{1}\u{0}\u{40}{\"accessToken\":\"made-up\",\"user\":\"Ann\"}", "\u{1}\u{1}\u{40}{\"accessToken\":\"made-up\"}",
            "\u{1}\u{0}\u{0}too long",
            "\u{0}\u{0}\u{1}", "\u{2}\u{0}\u{1}x", "\u{3}\u{0}\u{1}x", "\u{4}\u{0}\u{9}x", "\u{5}\u{0}\u{9}x",
            "\u{1}\u{0}\u{40}{\"cookies\":[{\"name\":\"a\",\"value\":\"b\"}],\"user\":null}",
        ],
        stepsPerByte: 4000
    ) { input in
        var input = FuzzInput(input)
        let kind = input.choice(among: Kind.allCases)
        let permissions = input.choice(among: [0o600, 0o644, 0o400, 0o660, 0o606])
        let limit = Int(input.byte()) * 16
        let content = Data(input.bytes)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("catena-fuzz-\(getpid())")
        let (place, other) = (folder.appendingPathComponent("place"), folder.appendingPathComponent("other"))
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try put(kind, at: place, other, content, permissions)
        } catch {
            return expect(false, "the input cannot be written: \(error)")
        }
        let isReadable = kind == .file && permissions & 0o077 == 0 && content.count <= limit
        let data = try? OwnerOnlyFile.read(place, limit: limit)
        expect(data == (isReadable ? content : nil), "\(kind), \(permissions), limit \(limit): \(String(describing: data))")
        do {
            let token = try FileCredentialStore<BearerToken>(file: place).load()
            expect(token == nil || kind == .file, "a credential of \(kind)")
        } catch {
            let text = content.count > 8 ? String(decoding: content, as: UTF8.self) : nil
            expect(text.map { !"\(error)".contains($0) } ?? true, "the error shows the content: \(error)")
        }
        let isReplaced = (try? OwnerOnlyFile.write(Data("new".utf8), to: place, isDurable: false)) != nil
        expect(isReplaced == (kind == .file || kind == .nothing), "\(kind) is replaced: \(isReplaced)")
        let isRemoved = (try? LocalFile.remove(place.path)) != nil
        expect(isRemoved == isReplaced, "\(kind) is removed: \(isRemoved)")
        var status = stat()
        expect((lstat(place.path, &status) == 0) != isRemoved, "\(kind) is there no more")
        expect((try? Data(contentsOf: other)) == (kind == .link ? content : nil), "the target of a link has changed")
    }

    private static func put(_ kind: Kind, at place: URL, _ other: URL, _ content: Data, _ permissions: Int) throws {
        switch kind {
        case .nothing: break
        case .file:
            try content.write(to: place)
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: place.path)
        case .folder: try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        case .pipe: if mkfifo(place.path, mode_t(permissions)) != 0 { throw CocoaError(.fileWriteUnknown) }
        case .link:
            try content.write(to: other)
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: other)
        case .ownLink: try FileManager.default.createSymbolicLink(at: place, withDestinationURL: place)
        }
    }
}
