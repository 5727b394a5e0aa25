import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// The form of a page that asks for a one-time code.
@MainActor
struct CodeForm {
    private let view: any WebKitView

    init(in view: any WebKitView) { self.view = view }

    /// Describes the page; nil if there is none to inspect.
    func look() async -> JSONValue? { await call(PageScripts.look, []) }

    /// Fills a code in and sends the form: the first form of the page that would send it to the page's own server.
    ///
    /// - Returns: false if the view shows another page, or there is no such form
    func fill(_ code: Redacted<String>, on page: TargetURL) async -> Bool {
        guard let view = await look(), let url = view["url"]?.text,
            let target = try? TargetURL(url), target.withoutFragment == page.withoutFragment,
            let origin = view["origin"]
        else { return false }
        for form in view["forms"]?.elements ?? [] {
            let fields = form["fields"]?.elements ?? []
            let open = fields.filter { $0["choice"]?.bool != true && ($0["value"]?.text ?? "").isEmpty }
            // The buttons that send the form come first.
            let buttons = (form["buttons"]?.elements ?? []).prefix { $0["sends"]?.bool == true }
            let button = PageWords.usualButton(of: buttons.map { $0["label"]?.text ?? "" })
            let action = (button.map { buttons[$0] } ?? form)["action"]?.text ?? ""
            guard (try? TargetURL(action))?.origin == page.origin, let index = form["index"],
                let name = PasscodeField.likeliest(of: open.compactMap { $0["name"]?.text })
            else { continue }
            // The script checks the origin again: the page may change meanwhile (security rule S21).
            let values = JSONValue.object([name: .string(code.value)])
            let number = JSONValue.integer(Int64(clamping: button ?? -1))
            return await call(PageScripts.fill, [origin, index, values, number])?.bool == true
        }
        return false
    }

    private func call(_ function: String, _ arguments: [JSONValue]) async -> JSONValue? {
        guard let list = try? JSONEncoder().encode(JSONValue.array(arguments)),
            let answer = await view.call(function, String(decoding: list, as: UTF8.self))
        else { return nil }
        return JSONValue(Array(answer.utf8))
    }
}
