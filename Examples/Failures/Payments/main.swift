// Reads the lists of the SDK while their backend misbehaves. Exits with 0 if each list is as expected.
import Catena
import CatenaTesting
import Viewer

let viewer = Viewer()
let backend = try PaymentsBackend()
let payments = Payments(host: backend.server.url, key: "made-up")

/// Returns the ids of a list, and the error that ends it.
func text(_ list: Items<Payment>) async -> String {
    var ids: [String] = []
    do {
        for try await payment in list { ids.append(payment.id) }
    } catch let error as APIError {
        ids.append("\(error.kind.name): \(error.message)")
    } catch {
        ids.append("cancelled")
    }
    return ids.joined(separator: " ")
}

viewer.see("charges", await text(payments.charges), expected: "ch_1 ch_2 ch_3 ch_4")

let hidden =
    #"protocolViolation: pages: the page has "has_more": true and "page_token", but no cursor where it is looked for; "#
    + #"the list would end after 1 items. Use by: .cursor("page_token", as: "page_token"), with the param that the backend takes."#
viewer.see("refunds", await text(payments.refunds), expected: hidden)
viewer.see("refunds, as the error says", await text(payments.allRefunds), expected: "re_1 re_2")

viewer.see("payouts", await text(payments.payouts()), expected: "po_1 po_2 po_3")
viewer.see("payouts from page 2", await text(payments.payouts(from: 2)), expected: "po_2 po_3")

let circle = "protocolViolation: pages: page 2 has a link that has been followed before, so that its items would come again."
viewer.see("disputes", await text(payments.disputes), expected: "dp_1 \(circle)")

let endless = "protocolViolation: pages: 10 empty pages in a row say that there are more; the list counts as endless."
viewer.see("invoices", await text(payments.invoices), expected: endless)
viewer.see("requests of invoices", backend.count(of: "/invoices"), expected: "10")

let transfers = await text(payments.transfers)
viewer.see("transfers", transfers.contains("timeout: ") ? "cut at the deadline" : transfers, expected: "cut at the deadline")

do {
    viewer.see("balance", "\(try await payments.balance())", expected: "an error")
} catch let error as APIError {
    viewer.see(
        "balance", "\(error.status ?? 0), try again in \(error.retryAfter?.components.seconds ?? 0) seconds",
        expected: "429, try again in 30 seconds")
}
viewer.see("requests of the balance", backend.count(of: "/balance"), expected: "1")
viewer.finish()
