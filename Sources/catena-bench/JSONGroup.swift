import Catena
import Foundation

/// Measures the parsing of JSON into a dynamic value, and with `JSONSerialization` into a dictionary.
func jsonGroup(_ effort: Effort) async throws {
    for (title, size, count) in [("1 KB", 1_000, 20_000), ("100 KB", 100_000, 200), ("10 MB", 10_000_000, 2)] {
        let document = jsonDocument(size)
        try await compare(
            title, iterations: max(1, effort.iterations(count)), effort: effort,
            [
                Alternative(name: "JSONSerialization to a dictionary") { count in
                    for _ in 0..<count { keep(try JSONSerialization.jsonObject(with: document)) }
                },
                Alternative(name: "Catena: JSON(parsing:)") { count in
                    for _ in 0..<count { keep(try JSON(parsing: document)) }
                },
            ])
    }
}

/// Returns a JSON response of at least a number of bytes.
func jsonDocument(_ size: Int) -> Data {
    var text = #"{"errcode":0,"errmsg":"ok","data":["#
    var index = 0
    while text.utf8.count < size {
        if index > 0 { text += "," }
        text += #"{"id":\#(100_000 + index),"name":"User number \#(index)","email":"user\#(index)@example.com","#
        text += #""score":\#(Double(index) * 0.37),"active":\#(index.isMultiple(of: 2)),"#
        text += #""bio":"Writes about cafés \"and\" such,\n twice.","tags":["alpha","beta","gamma\#(index % 7)"],"#
        text += #""address":{"city":"Springfield","zip":"\#(10_000 + index)","geo":[12.5,-\#(index % 90).25]},"manager":null}"#
        index += 1
    }
    return Data((text + "]}").utf8)
}
