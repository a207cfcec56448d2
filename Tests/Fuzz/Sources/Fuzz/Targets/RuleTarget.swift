import Foundation

@testable import Catena
@testable import CatenaRules

extension FuzzTarget {
    /// Rule files. A parsed file is written and read again as the same rules, and faults are reported.
    static let rules = FuzzTarget(
        "rules",
        seeds: [
            #"{"DEFAULT":{"Base":"https://forum.example.com/api/","Method":"GET"},"@topics":{"List":{"Path":"topics","Response Type":3}}}"#,
            #"{"New":{"Path":"topics/{id}","Method":"post","Authorization":true,"Parameters":{"a":[1,{"b":null}]},"Headers":{"X-A":"1"},"Expire":60}}"#,
            #"{"A":{"Cache Policy":1,"Offline Policy":2,"Response Accept NULL":1,"User Info":{"k":"v"},"Notes":"n"},"A":{"Pth":1}}"#,
            #"<plist version="1.0"><dict><key>A</key><dict><key>Path</key><string>a</string><key>Expire</key><real>1.5</real></dict></dict></plist>"#,
        ] + RuleKey.allCases.map { #"{"A":{"\#($0.rawValue)":"x"}}"# },
        stepsPerByte: 1500
    ) { input in
        do throws(RuleFaults) {
            let rules = try RuleSet(parsing: Data(input))
            // A number that exceeds a double can be read but not written.
            guard let written = try? JSONEncoder().encode(rules) else { return }
            do throws(RuleFaults) {
                let again = try RuleSet(parsing: written)
                expect(again.names == rules.names, "\(rules.names) are read again as \(again.names)")
                for name in rules.names {
                    expect(again[name] == rules[name], "\(name) differs: \(String(decoding: written, as: UTF8.self))")
                }
            } catch {
                expect(false, "\(error): \(String(decoding: written, as: UTF8.self))")
            }
        } catch {
            expect(!error.faults.isEmpty && error.faults.allSatisfy { !$0.reason.isEmpty }, "no reason")
        }
    }
}
