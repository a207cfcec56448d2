#if os(Linux) || os(macOS)
import Catena
import Foundation
import Testing

/// The statements of a release about itself agree with the sources.
@Suite("Release", .limitedParallelism) struct ReleaseTests {
    @Test("the changelog's newest release is this version, with a date")
    func changelog() throws {
        let text = try String(contentsOf: URL.packageRoot.appending(path: "CHANGELOG.md"), encoding: .utf8)
        let releases = text.matches(of: /(?m)^## (\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})$/)
        #expect(releases.first.map { String($0.1) } == API.version)
        let dates = try releases.map { try Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day().parse(String($0.2)) }
        #expect(dates == dates.sorted(by: >))
    }

    /// The symbols that need a reason, by category: developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api.
    private static let names: [String: [String]] = [
        "FileTimestamp": [
            "creationDate", "modificationDate", "fileModificationDate", "contentModificationDate", "contentModificationDateKey",
            "creationDateKey", "getattrlist", "getattrlistbulk", "fgetattrlist", "getattrlistat", "stat", "fstat", "fstatat", "lstat",
        ],
        "SystemBootTime": ["systemUptime", "mach_absolute_time"],
        "DiskSpace": [
            "volumeAvailableCapacity", "volumeAvailableCapacityKey", "volumeTotalCapacity", "volumeTotalCapacityKey", "systemFreeSize",
            "systemSize", "statfs", "statvfs", "fstatfs", "fstatvfs",
        ],
        "ActiveKeyboards": ["activeInputModes"],
        "UserDefaults": ["UserDefaults"],
    ]

    private struct Manifest: Decodable {
        struct Entry: Decodable {
            let NSPrivacyAccessedAPIType: String
            let NSPrivacyAccessedAPITypeReasons: [String]
        }

        let NSPrivacyTracking: Bool
        let NSPrivacyAccessedAPITypes: [Entry]
    }

    @Test("the privacy manifest names exactly the categories of symbols that the sources use")
    func manifest() throws {
        let sources = URL.packageRoot.appending(path: "Sources")
        let file = sources.appending(path: "Catena/PrivacyInfo.xcprivacy")
        let manifest = try PropertyListDecoder().decode(Manifest.self, from: Data(contentsOf: file))
        #expect(!manifest.NSPrivacyTracking)
        #expect(manifest.NSPrivacyAccessedAPITypes.allSatisfy { !$0.NSPrivacyAccessedAPITypeReasons.isEmpty })

        var used: Set<String> = []
        for target in ["Catena", "CatenaPromise"] {
            let files = FileManager.default.enumerator(at: sources.appending(path: target), includingPropertiesForKeys: nil)
            for case let url as URL in try #require(files) where url.pathExtension == "swift" && !url.path.contains(".docc/") {
                let code = try String(contentsOf: url, encoding: .utf8).replacing(/\/\/.*/, with: "")
                let words = Set(code.matches(of: /\w+/).map { String($0.output) })
                for (category, names) in Self.names where !words.isDisjoint(with: names) { used.insert(category) }
            }
        }
        let named = Set(manifest.NSPrivacyAccessedAPITypes.map(\.NSPrivacyAccessedAPIType))
        #expect(named == Set(used.map { "NSPrivacyAccessedAPICategory" + $0 }))
    }
}
#endif
