import Catena
import CatenaTesting

/// The three backends of the dashboard, on this machine.
struct DashboardBackends {
    let sales: LoopbackServer
    let stock: LoopbackServer
    let weather: LoopbackServer

    init() throws {
        (sales, stock, weather) = (try LoopbackServer(), try LoopbackServer(), try LoopbackServer())
        // Answers once, and allows that the response replaces later failures (RFC 5861 §4).
        sales.get("/revenue") { request in
            guard request.visit == 1 else { return .status(503) }
            return .json(text: #"{"code":0,"data":42}"#).header("Cache-Control", "max-age=0, stale-if-error=600")
        }
        stock.post("/sessions") { _ in .json(text: #"{"code":0,"data":"made-up"}"#) }
        // Grows while the list is read.
        stock.get("/parts") { request in
            guard request.headers["X-Session"] == "made-up" else { return .status(403) }
            switch request.query("page") {
            case "1": return .json(text: #"{"code":0,"data":{"total":1,"has_more":true,"items":[{"name":"bolt"}]}}"#)
            case "2": return .json(text: #"{"code":0,"data":{"total":3,"items":[{"name":"nut"}]}}"#)
            default: return .json(text: #"{"code":0,"data":{"total":3,"items":[{"name":"gear"}]}}"#)
            }
        }
        // Says that there are more, and not where.
        stock.get("/shortages") { _ in .json(text: #"{"code":0,"data":{"has_more":true,"items":[{"name":"axle"}]}}"#) }
        weather.get("/outlook") { _ in .status(503).header("Retry-After", "30") }
    }
}
