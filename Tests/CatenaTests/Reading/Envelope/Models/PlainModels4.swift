import Catena

// Models of public resources, each by the keys that a caller would ask for. Generated from names and keys; see `PlainModel`.
extension PlainModels {
    struct Openapi: PlainModel {
        var openapi: JSON
        var info: JSON
        var paths: JSON
    }
    struct Jsonld: PlainModel {
        var _context: JSON
        var _type: JSON
        var name: JSON
        enum CodingKeys: String, CodingKey {
            case _context = "@context"
            case _type = "@type"
            case name
        }
    }
    struct Jwks: PlainModel {
        var keys: JSON
    }
    struct Webfinger: PlainModel {
        var subject: JSON
        var links: JSON
    }
    struct SruOpds: PlainModel {
        var metadata: JSON
        var links: JSON
    }
    struct HalOrder: PlainModel {
        var _links: JSON
        var total: JSON
        var status: JSON
    }
    struct Odata: PlainModel {
        var value: JSON
        var _odata_context: JSON
        enum CodingKeys: String, CodingKey {
            case value
            case _odata_context = "@odata.context"
        }
    }
    struct Sparql: PlainModel {
        var head: JSON
        var results: JSON
    }
    struct MediawikiQ: PlainModel {
        var batchcomplete: JSON
        var query: JSON
    }
    struct Openlibrary: PlainModel {
        var numFound: JSON
        var docs: JSON
    }
    struct IssNow: PlainModel {
        var message: JSON
        var iss_position: JSON
        var timestamp: JSON
    }
    struct DogceoPlain: PlainModel {
        var message: JSON
        var status: JSON
    }
    struct Sunrise: PlainModel {
        var results: JSON
        var status: JSON
        var tzid: JSON
    }
    struct Nominatim: PlainModel {
        var place_id: JSON
        var lat: JSON
        var lon: JSON
    }
    struct Ipapi: PlainModel {
        var ip: JSON
        var city: JSON
        var country_code: JSON
    }
    struct IpApiCom: PlainModel {
        var status: JSON
        var country: JSON
        var query: JSON
    }
    struct Ipwho: PlainModel {
        var ip: JSON
        var success: JSON
        var country: JSON
    }
    struct Pokeapi: PlainModel {
        var count: JSON
        var next: JSON
        var results: JSON
    }
    struct Cats: PlainModel {
        var fact: JSON
        var length: JSON
    }
    struct Chuck: PlainModel {
        var id: JSON
        var value: JSON
    }
    struct Jokeapi2: PlainModel {
        var setup: JSON
        var delivery: JSON
    }
    struct HttpbinAnything: PlainModel {
        var data: JSON
        var json: JSON
        var url: JSON
    }
    struct ReqresUser: PlainModel {
        var data: JSON
        var support: JSON
    }
    struct ReqresList: PlainModel {
        var page: JSON
        var data: JSON
        var total: JSON
    }
    struct SpringPage: PlainModel {
        var content: JSON
        var totalElements: JSON
    }
    struct PageItems: PlainModel {
        var items: JSON
        var total: JSON
        var page: JSON
    }
    struct PageDataCursor: PlainModel {
        var data: JSON
        var next_cursor: JSON
    }
    struct PageResults: PlainModel {
        var results: JSON
        var total_pages: JSON
        var total_results: JSON
        var page: JSON
    }
    struct Search: PlainModel {
        var total: JSON
        var count: JSON
        var data: JSON
        var query: JSON
    }
    struct Graph: PlainModel {
        var data: JSON
        var nodes: JSON
        var edges: JSON
    }
    struct Chart: PlainModel {
        var labels: JSON
        var data: JSON
    }
    struct Series: PlainModel {
        var name: JSON
        var data: JSON
    }
    struct Dataset: PlainModel {
        var id: JSON
        var data: JSON
        var schema: JSON
    }
    struct Block: PlainModel {
        var hash: JSON
        var data: JSON
        var number: JSON
    }
    struct TxReceipt: PlainModel {
        var transactionHash: JSON
        var status: JSON
    }
    struct TxStatus0: PlainModel {
        var hash: JSON
        var status: JSON
        var error: JSON?
    }
    struct Calc: PlainModel {
        var result: JSON
        var expression: JSON
    }
    struct CalcOnly: PlainModel {
        var result: JSON
    }
    struct Scan: PlainModel {
        var file: JSON
        var status: JSON
        var threats: JSON
    }
    struct Vt: PlainModel {
        var data: JSON
    }
    struct OrderFail: PlainModel {
        var orderId: JSON
        var status: JSON
        var error: JSON
    }
    struct SensorOk: PlainModel {
        var sensor: JSON
        var ok: JSON
        var value: JSON
    }
    struct ServerItem: PlainModel {
        var id: JSON
        var name: JSON
        var status: JSON
        var ok: JSON
    }
    struct Todo: PlainModel {
        var userId: JSON
        var id: JSON
        var title: JSON
        var completed: JSON
    }
    struct Single: PlainModel {
        var name: JSON
    }
    struct TimeOnly: PlainModel {
        var time: JSON
    }
    struct Unix: PlainModel {
        var unixtime: JSON
        var timezone: JSON
    }
    struct AppConfig: PlainModel {
        var code: JSON
        var version: JSON
        var url: JSON
    }
    struct Maintenance: PlainModel {
        var maintenance: JSON
        var message: JSON
        var until: JSON
    }
    struct Link: PlainModel {
        var url: JSON
    }
    struct Upload: PlainModel {
        var url: JSON
        var key: JSON
        var size: JSON
    }
    struct UploadCos: PlainModel {
        var Location: JSON
        var Bucket: JSON
        var Key: JSON
        var ETag: JSON
    }
    struct QiniuUpload: PlainModel {
        var hash: JSON
        var key: JSON
    }
    struct BaiduOcr: PlainModel {
        var words_result: JSON
        var log_id: JSON
    }
    struct Poem: PlainModel {
        var id: JSON
        var title: JSON
        var content: JSON
    }
    struct UserCn: PlainModel {
        var userId: JSON
        var nickname: JSON
        var status: JSON
    }
    struct OrderCn: PlainModel {
        var orderNo: JSON
        var status: JSON
        var statusDesc: JSON
    }
    struct DictCn: PlainModel {
        var code: JSON
        var name: JSON
    }
    struct DictItem: PlainModel {
        var code: JSON
        var desc: JSON
    }
    struct NoticeCn: PlainModel {
        var id: JSON
        var title: JSON
        var msg: JSON
    }

    static let part4: [String: any PlainModel.Type] = [
        "openapi": Openapi.self,
        "jsonld": Jsonld.self,
        "jwks": Jwks.self,
        "webfinger": Webfinger.self,
        "sru_opds": SruOpds.self,
        "hal_order": HalOrder.self,
        "odata": Odata.self,
        "sparql": Sparql.self,
        "mediawiki_q": MediawikiQ.self,
        "openlibrary": Openlibrary.self,
        "iss_now": IssNow.self,
        "dogceo_plain": DogceoPlain.self,
        "sunrise": Sunrise.self,
        "nominatim": Nominatim.self,
        "ipapi": Ipapi.self,
        "ip_api_com": IpApiCom.self,
        "ipwho": Ipwho.self,
        "pokeapi": Pokeapi.self,
        "cats": Cats.self,
        "chuck": Chuck.self,
        "jokeapi2": Jokeapi2.self,
        "httpbin_anything": HttpbinAnything.self,
        "reqres_user": ReqresUser.self,
        "reqres_list": ReqresList.self,
        "spring_page": SpringPage.self,
        "page_items": PageItems.self,
        "page_data_cursor": PageDataCursor.self,
        "page_results": PageResults.self,
        "search": Search.self,
        "graph": Graph.self,
        "chart": Chart.self,
        "series": Series.self,
        "dataset": Dataset.self,
        "block": Block.self,
        "tx_receipt": TxReceipt.self,
        "tx_status0": TxStatus0.self,
        "calc": Calc.self,
        "calc_only": CalcOnly.self,
        "scan": Scan.self,
        "vt": Vt.self,
        "order_fail": OrderFail.self,
        "sensor_ok": SensorOk.self,
        "server_item": ServerItem.self,
        "todo": Todo.self,
        "single": Single.self,
        "time_only": TimeOnly.self,
        "unix": Unix.self,
        "app_config": AppConfig.self,
        "maintenance": Maintenance.self,
        "link": Link.self,
        "upload": Upload.self,
        "upload_cos": UploadCos.self,
        "qiniu_upload": QiniuUpload.self,
        "baidu_ocr": BaiduOcr.self,
        "poem": Poem.self,
        "user_cn": UserCn.self,
        "order_cn": OrderCn.self,
        "dict_cn": DictCn.self,
        "dict_item": DictItem.self,
        "notice_cn": NoticeCn.self,
    ]
}
