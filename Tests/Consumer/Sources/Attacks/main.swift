// Attacks promises of Catena from outside: by its public API, over servers of its own on 127.0.0.1. Prints each attack, and exits with 0 if every
// promise holds.
//
//   Attacks                    all attacks
//   Attacks files|identity|inspector|environment
//   Attacks --call URL …       a call in another environment: see EnvironmentAttacks.swift
import CatenaURLSession
import Foundation

// Some attacks are repeated over URLSession.
URLSessionTransport.useWithoutLibcurl()

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "--call" { exit(await ChildCall(arguments.dropFirst()).run()) }
startWatchdog(seconds: 100)
let findings = Findings()
func isChosen(_ name: String) -> Bool { arguments.isEmpty || arguments.contains(name) }
do {
    if isChosen("files") { try await FileAttacks(findings).run() }
    if isChosen("identity") { try await IdentityAttacks(findings).run() }
    if isChosen("inspector") { try await InspectorAttacks(findings: findings).run() }
    if isChosen("environment") { try await EnvironmentAttacks(findings).run() }
} catch {
    findings.check("the attacks run to their end", false, "\(error)")
}
print(findings.summary)
exit(findings.areNone ? 0 : 1)
