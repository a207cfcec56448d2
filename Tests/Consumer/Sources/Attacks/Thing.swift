import Foundation

/// Something that stands in the place of a file.
struct Thing: Sendable {
    let name: String
    /// Whether it is no regular file of this user, so that Catena neither reads, replaces nor removes it.
    let isForeign: Bool
    let put: @Sendable (URL) throws -> Void

    /// The text that a folder's file, or the target of a link, has before and after the attack.
    static let kept = Data("kept".utf8)

    static let all: [Thing] = [
        Thing(name: "a folder", isForeign: true) { place in
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try kept.write(to: place.appending(path: "photo"))
        },
        Thing(name: "a pipe", isForeign: true) { place in try check(mkfifo(place.path, 0o600)) },
        Thing(name: "a socket", isForeign: true) { place in try check(mknod(place.path, S_IFSOCK | 0o600, 0)) },
        Thing(name: "a link to another file", isForeign: true) { place in
            try kept.write(to: neighbour(of: place))
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: neighbour(of: place))
        },
        Thing(name: "a link to itself", isForeign: true) { place in
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: place)
        },
        Thing(name: "a link to an endless device", isForeign: true) { place in
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: URL(filePath: "/dev/zero"))
        },
        Thing(name: "5 GB", isForeign: false) { place in
            try create(place, "", 0o600)
            try check(truncate(place.path, 5 << 30))
        },
        Thing(name: "a file that others can read", isForeign: false) { place in
            try create(place, #"{"accessToken":"made-up"}"#, 0o644)
        },
    ]

    /// A file of another user, which only root can make.
    static let others = Thing(name: "another user's file", isForeign: true) { place in
        try create(place, #"{"accessToken":"made-up"}"#, 0o600)
        try check(chown(place.path, 65_534, 65_534))
    }

    static func neighbour(of place: URL) -> URL { place.deletingLastPathComponent().appending(path: "neighbour") }

    /// Creates a file with these permissions.
    static func create(_ place: URL, _ text: String, _ permissions: Int) throws {
        let descriptor = open(place.path, O_WRONLY | O_CREAT | O_EXCL, mode_t(permissions))
        try check(descriptor < 0 ? -1 : 0)
        defer { close(descriptor) }
        try check(fchmod(descriptor, mode_t(permissions)))
        try check(write(descriptor, text, text.utf8.count) == text.utf8.count ? 0 : -1)
    }

    private static func check(_ status: Int32) throws {
        if status != 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    /// Whether it, and what it contains or leads to, is as it was put.
    func isUnchanged(at place: URL, since former: State) -> Bool {
        guard State(of: place) == former else { return false }
        switch name {
        case "a folder": return (try? Data(contentsOf: place.appending(path: "photo"))) == Self.kept
        case "a link to another file": return (try? Data(contentsOf: Self.neighbour(of: place))) == Self.kept
        default: return true
        }
    }

    struct State: Equatable {
        private let kind: UInt32
        private let number: UInt64

        init?(of place: URL) {
            var status = stat()
            guard lstat(place.path, &status) == 0 else { return nil }
            (kind, number) = (UInt32(status.st_mode), UInt64(status.st_ino))
        }
    }
}

/// A place where a file and a pipe replace each other as fast as a thread can do it.
final class Flicker: Sendable {
    private let place: URL
    private let isOver = Flag()
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ place: URL, content: String) {
        self.place = place
        Thread.detachNewThread { [self] in
            let spare = place.path + ".spare"
            while !isOver.isSet {
                unlink(spare)
                mkfifo(spare, 0o600)
                rename(spare, place.path)
                try? Thing.create(URL(filePath: spare), content, 0o600)
                rename(spare, place.path)
            }
            hasEnded.signal()
        }
    }

    func stop() {
        isOver.set()
        hasEnded.wait()
    }
}
