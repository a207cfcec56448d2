import Testing

@testable import Catena

@Suite("Media types of files", .limitedParallelism)
struct FileMediaTypeTests {
    @Test(
        "the media type of a file depends on its extension, in any case",
        arguments: [
            ("a.png", "image/png"), ("a.JPG", "image/jpeg"), ("archive.tar.gz", "application/gzip"), ("a.b.json", "application/json"),
            ("a", "application/octet-stream"), ("a.", "application/octet-stream"), (".png", "image/png"), ("", "application/octet-stream"),
            ("a.unknown", "application/octet-stream"), ("é.mp4", "video/mp4"), ("a.png ", "application/octet-stream"),
        ])
    func types(name: String, type: String) {
        #expect(FileMediaType.of(fileNamed: name) == type)
    }
}
