// Runs two backends, profiles and orders, on free ports and with different envelopes. Ends when its standard input ends.
import Catena
import CatenaTesting
import Foundation

let profiles = try LoopbackServer()
let orders = try LoopbackServer()

profiles.get("/users/{id}") { request in
    let id = Int(request.parameters["id"] ?? "") ?? 0
    guard (1...1000).contains(id) else { return .json(text: #"{"code":404,"msg":"There is no such user."}"#, status: 404) }
    return .json(text: #"{"code":0,"msg":"","data":{"id":\#(id),"name":"User \#(id)"}}"#).header("Cache-Control", "max-age=1")
}
orders.get("/orders") { request in
    let user = Int(request.query("user") ?? "") ?? 0
    let list = (1...3).map { #"{"id":\#(user * 10 + $0),"user":\#(user),"item":"Item \#($0)"}"# }.joined(separator: ",")
    return .json(text: #"{"result":{"code":"OK","text":""},"payload":[\#(list)]}"#)
}

// Print the addresses at the start, and the numbers of requests at the end.
print("--profiles \(profiles.url) --orders \(orders.url)")
fflush(nil)
while readLine() != nil {}
print("\(profiles.requestCount) \(orders.requestCount)")
