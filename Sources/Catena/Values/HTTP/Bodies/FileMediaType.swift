import CatenaPlatform

/// The media types of files by their extension, the same on every platform.
enum FileMediaType {
    /// The type of unknown bytes (RFC 2046 §4.5.1).
    static let unknown = "application/octet-stream"

    /// Returns the media type for the extension of a file name.
    static func of(fileNamed name: String) -> String {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return unknown }
        return types[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    private static let types: [String: String] = [
        // Text.
        "txt": "text/plain", "log": "text/plain", "csv": "text/csv", "tsv": "text/tab-separated-values", "html": "text/html",
        "htm": "text/html", "css": "text/css", "js": "text/javascript", "mjs": "text/javascript", "md": "text/markdown",
        "ics": "text/calendar", "vcf": "text/vcard", "vtt": "text/vtt",
        // Images.
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "heic": "image/heic",
        "heif": "image/heif", "avif": "image/avif", "bmp": "image/bmp", "tif": "image/tiff", "tiff": "image/tiff",
        "svg": "image/svg+xml", "ico": "image/vnd.microsoft.icon",
        // Sound.
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "wav": "audio/wav", "ogg": "audio/ogg", "oga": "audio/ogg",
        "opus": "audio/ogg", "flac": "audio/flac", "amr": "audio/amr", "mid": "audio/midi", "weba": "audio/webm",
        // Film.
        "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm", "mpeg": "video/mpeg", "mpg": "video/mpeg",
        "avi": "video/x-msvideo", "mkv": "video/x-matroska", "3gp": "video/3gpp", "ts": "video/mp2t", "ogv": "video/ogg",
        // Fonts.
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
        // Data and documents.
        "json": "application/json", "jsonl": "application/x-ndjson", "xml": "application/xml", "yaml": "application/yaml",
        "yml": "application/yaml", "plist": "application/x-plist", "pdf": "application/pdf", "rtf": "application/rtf",
        "epub": "application/epub+zip", "wasm": "application/wasm", "doc": "application/msword", "xls": "application/vnd.ms-excel",
        "ppt": "application/vnd.ms-powerpoint",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        // Archives.
        "zip": "application/zip", "gz": "application/gzip", "tar": "application/x-tar", "7z": "application/x-7z-compressed",
        "bz2": "application/x-bzip2", "rar": "application/vnd.rar", "apk": "application/vnd.android.package-archive",
    ]
}
