// Runs the rows over one server. Prints each row that differs, with what curl(1) receives. Exits with 0 if none differs but those named as exemptions.
//
//   Servers MODE URL                  the rows; MODE is one of Site.Mode
//   Servers --losses KIND MODE URL    the losses of a thousand calls: see Losses.swift
//
// The environment has:
//
//   CATENA_SERVERS_CA          the certificate authorities
//   CATENA_SERVERS_FOLDER      a folder for files
//   CATENA_SERVERS_PROXY       a proxy, where one is needed
//   CATENA_SERVERS_EXEMPTIONS  the beginnings of rows that may differ, separated by "|"
//   CATENA_SERVERS_ROWS        the beginnings of the rows to run, or none for all of them
import Catena
import Foundation

var arguments = Array(CommandLine.arguments.dropFirst())
let environment = ProcessInfo.processInfo.environment
let losses = arguments.first == "--losses" ? arguments[1] : nil
if losses != nil { arguments.removeFirst(2) }
guard arguments.count == 2, let mode = Site.Mode(rawValue: arguments[0]), let authorities = environment["CATENA_SERVERS_CA"],
    let folder = environment["CATENA_SERVERS_FOLDER"]
else {
    print("usage: see main.swift")
    exit(2)
}
let site = try Site(
    mode: mode, url: arguments[1], authorities: authorities, proxy: environment["CATENA_SERVERS_PROXY"], folder: URL(filePath: folder))
if let losses {
    exit(try await Losses(kind: losses, site: site).run() ? 0 : 1)
}

let exemptions = environment["CATENA_SERVERS_EXEMPTIONS"]?.split(separator: "|").map(String.init) ?? []
let chosen = environment["CATENA_SERVERS_ROWS"]?.split(separator: "|").map(String.init)
let rows = (headRows + bodyRows + uploadRows + connectionRows).filter { row in
    if row.name.hasPrefix("TLS"), !site.url.hasPrefix("https") { return false }
    if row.name.hasPrefix("graceful reloads"), environment["CATENA_SERVERS_RELOAD"] == nil { return false }
    return chosen?.contains { row.name.hasPrefix($0) } ?? true
}
func isExempt(_ row: Row) -> Bool { exemptions.contains { row.name.hasPrefix($0) } }
var right = 0
var wrong = 0
for row in rows {
    do {
        try await row.run(site)
        right += 1
    } catch {
        if !isExempt(row) { wrong += 1 }
        print("    \(row.name)\(isExempt(row) ? " (exempt)" : ""): \(describe(error).prefix(400))")
        if let answer = try Witness.answer(to: row, at: site) { print("        curl: \(answer)") }
    }
}
print("  \(right) of \(rows.count) rows ok")
exit(wrong == 0 ? 0 : 1)
