import Foundation

/// curl(1), which sends the request of a row that failed, so that the output shows whose fault it is.
enum Witness {
    /// Returns what curl has received of ten calls, or the reasons of its failures.
    static func answer(to row: Row, at site: Site) throws -> String? {
        guard let path = row.witness.first else { return nil }
        var arguments = ["-sS", "--max-time", "5", "--cacert", site.authorities, site.mode.option, "--path-as-is", "-o", "/dev/null"]
        arguments += ["-w", "%{http_code}, %{size_download} bytes, HTTP/%{http_version}\n"]
        arguments += site.proxy.map { ["--proxy", $0, "--noproxy", ""] } ?? ["--noproxy", "*"]
        for argument in row.witness.dropFirst() {
            // @8388608 is the file with so many bytes.
            let count = argument.hasPrefix("@") ? Int(argument.dropFirst()) : nil
            arguments.append(try count.map { count in "@" + (try site.file(of: count)).path(percentEncoded: false) } ?? argument)
        }
        let command = arguments + [site.url + path]
        let answers = try (0..<10).map { _ in try Command.run("curl", command) }
        return Dictionary(grouping: answers) { $0 }.map { "\($1.count) x \($0)" }.sorted().joined(separator: " | ")
    }
}

enum Command {
    /// Runs a command to its end. Returns its output and errors, in one line.
    @discardableResult
    static func run(_ name: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").joined(separator: "; ")
    }
}
