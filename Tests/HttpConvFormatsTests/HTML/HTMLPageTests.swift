import Testing

@testable import HttpConvFormats

/// Pages as identity providers write them.
@Suite struct HTMLPageTests {
    private func page(_ html: String) -> HTMLPage { HTMLPage(Array(html.utf8)) }

    @Test func aLoginFormWithLabels() throws {
        let page = page(
            """
            <!DOCTYPE html><html><head><title>Sign &amp;  in</title><base href="/idp/"></head><body>
            <div class="alert-box">Wrong
            password.</div><p>Welcome</p>
            <form id=f method=POST action='?go'>
            <input type=hidden name=token value=t1><input type=hidden name=empty>
            <label for=u>User <b>name</b></label><input id=u name=user required maxlength=20>
            <label>Password: <input type=password name=password></label>
            <input name=code placeholder="Code" aria-label="One-time code">
            <input type=submit name=go value=Login><button formaction="/other" formmethod=get>Other</button>
            </form></body></html>
            """)
        #expect(page.title == "Sign & in")
        #expect(page.baseHref == "/idp/")
        #expect(page.alert == "Wrong password.")
        #expect(page.text.contains("Welcome"))
        let form = try #require(page.forms.first)
        #expect(form.action == "?go" && form.method == .post && form.encoding == .urlEncoded)
        #expect(
            form.fields.map(\.kind) == [.hidden, .hidden, .text, .password, .text, .submit, .submit])
        #expect(form.fields[0].value == "t1" && form.fields[1].value == nil)
        #expect(form.fields[2].label == "User name" && form.fields[2].isRequired && form.fields[2].maxLength == 20)
        #expect(form.fields[3].label == "Password:" && !form.fields[3].isRequired)
        #expect(form.fields[4].label == "One-time code")
        #expect(form.fields[5].label == "Login" && form.fields[5].name == "go")
        #expect(form.fields[6].label == "Other" && form.fields[6].name == nil)
        #expect(form.fields[6].overrides.action == "/other" && form.fields[6].overrides.method == .get)
        #expect(!page.isCutOff)
    }

    @Test func whatBrowsersDoNotSendOrCheck() throws {
        let page = page(
            """
            <meta name=Referrer content=origin><meta name=referrer content=no-referrer>
            <form novalidate onsubmit="return false;"><button formnovalidate>A</button><button>B</button></form>
            <form onsubmit="return falsely()"></form><form onsubmit="check(); return true"></form>
            """)
        #expect(page.referrerPolicy == "no-referrer")
        #expect(page.forms.map(\.skipsValidation) == [true, false, false])
        #expect(page.forms.map(\.isLeftToScripts) == [true, false, false])
        #expect(page.forms[0].fields.map(\.overrides.skipsValidation) == [true, false])
    }

    /// Pages make fields read-only until they have the focus, so that browsers do not fill them in.
    @Test(arguments: [
        ("readonly", true), ("readonly onfocus='select()'", true), ("readonly onfocus='this.readOnly = true'", true),
        ("readonly onfocus=\"this.removeAttribute('readonly')\"", false),
        ("readonly onclick='this.readOnly = false'", false),
        ("readonly onmousedown=\"$(this).removeAttr('readonly')\"", false), ("onfocus='this.readOnly = false'", false),
    ]) func aFieldThatBecomesWritableIsNotReadOnly(attributes: String, isReadOnly: Bool) throws {
        let field = try #require(page("<form><input name=u \(attributes)></form>").forms.first?.fields.first)
        #expect(field.isReadOnly == isReadOnly)
    }

    /// Pages hide themselves until a script has found out that they are in no frame.
    @Test(arguments: [
        ("<html style='display:none'><body>", false), ("<body style='visibility: hidden'>", false),
        ("<html hidden><body hidden>", false), ("<body><div style='display: none'>", true),
    ]) func aPageThatHidesItselfIsShown(start: String, isInvisible: Bool) throws {
        let page = page("\(start)<p>Welcome</p><form><input name=user><button>Log in</button></form>")
        #expect(page.text.contains("Welcome") != isInvisible)
        #expect(try #require(page.forms.first).fields.map(\.isInvisible) == [isInvisible, isInvisible])
    }

    @Test func aButtonInALinkIsItsText() {
        let page = page(
            "<a href=/a><button><span></span>Log in with <b>A</b></button></a><a href=/b>B</a><button>C</button>")
        #expect(page.links.map(\.text) == ["Log in with A", "B"])
    }

    @Test func selectsRadioButtonsAndTextAreas() throws {
        let page = page(
            """
            <form><select name=s required><option value="">Choose<option value=a>First<option selected>Second
            <optgroup label=g disabled><option value=c>Third</optgroup></select>
            <input type=radio name=r value=1><input type=radio name=r value=2 checked disabled>
            <input type=checkbox name=c checked><textarea name=t>
            <input name=fake>&lt;</textarea><fieldset disabled><input name=d></fieldset><input type=file name=f></form>
            """)
        let fields = try #require(page.forms.first).fields
        #expect(fields.map(\.name) == ["s", "r", "r", "c", "t", "d", "f"])
        #expect(fields[0].options.map(\.value) == ["", "a", "Second", "c"])
        #expect(fields[0].options.map(\.label) == ["Choose", "First", "Second", "Third"])
        #expect(fields[0].options.map(\.isSelected) == [false, false, true, false])
        #expect(fields[0].options.map(\.isDisabled) == [false, false, false, true])
        #expect(fields[1].kind == .radio && fields[2].isChecked && fields[2].isDisabled && fields[3].isChecked)
        #expect(fields[4].value == "<")
        #expect(fields[5].isDisabled && fields[6].kind == .file)
    }

    /// The page that Shibboleth's service provider writes.
    @Test func attributeValuesAreDecoded() throws {
        let page = page(
            """
            <body onload="document.forms[0].submit()"><noscript>Press Continue.</noscript>
            <form action="http&#58;//idp&#x3a;8401/sso?a=b&amp;c=d" method="post">
            <input type="hidden" name="RelayState" value="ss&#58;mem&#58;12"/><input type="hidden" name="SAMLRequest" value="PHNh
            bWw="/><input type="submit" value="Continue"/></form></body>
            """)
        let form = try #require(page.forms.first)
        #expect(form.action == "http://idp:8401/sso?a=b&c=d")
        #expect(form.fields[0].value == "ss:mem:12")
        #expect(form.hasHidden("SAMLRequest") && !form.hasHidden("SAMLResponse"))
        #expect(page.text.contains("Press Continue."))
    }

    /// PHP writes all of these in values, if it is told to write HTML 5.
    @Test func referencesOfHTML5AreDecoded() throws {
        let page = page(
            """
            <title>1&plus;1&equals;2</title><p>a&lowbar;b &amp;sol; &SOL; &solx; &sol &</p>
            <form action="&sol;go&quest;a&equals;1&a=2&sol=3"><input type=hidden name=SAMLResponse value="PHN&plus;YQ&equals;&equals;">
            <input type=hidden name=all value="&excl;&quot;&num;&dollar;&percnt;&amp;&apos;&lpar;&rpar;&ast;&plus;&comma;-&period;&sol;&colon;&semi;&lt;&equals;&gt;&quest;&commat;&lbrack;&bsol;&rsqb;&Hat;&lowbar;&grave;&lbrace;&vert;&rcub;~">
            <textarea name=t>a&Tab;b&NewLine;c&LT;</textarea></form>
            """)
        #expect(page.title == "1+1=2" && page.text == "a_b &sol; &SOL; &solx; &sol &")
        let form = try #require(page.forms.first)
        #expect(form.action == "/go?a=1&a=2&sol=3")
        #expect(
            form.fields.map(\.value) == [
                "PHN+YQ==", ##"!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"##, "a\tb\nc<",
            ])
    }

    /// In HTML the numbers 128 to 159 are bytes of windows-1252, with and without a semicolon. In XHTML they are controls.
    @Test func numbersOfWindows1252AreDecoded() throws {
        let text = """
            <title>&#150; 5 &#128;</title><p>&#x93;a&#X94 &#0146;b&#233;&#1500;&#81;</p>
            <form><input type=hidden name=a value="&#x80;&#x8A;&#129;&#00000159"><textarea name=t>&#133;</textarea></form>
            """
        let page = page(text)
        #expect(page.title == "– 5 €")
        #expect(page.text == "“a” ’bé\u{5DC}Q")
        #expect(page.forms.first?.fields.map(\.value) == ["€Š\u{81}Ÿ", "…"])
        let xhtml = HTMLPage(Array(text.utf8), contentType: "application/xhtml+xml; charset=utf-8")
        #expect(xhtml.forms.first?.fields.map(\.value) == ["\u{80}\u{8A}\u{81}\u{9F}", "\u{85}"])
    }

    @Test func controlsBelongToTheFormTheyName() {
        let page = page(
            """
            <form id=a><input name=x><input name=y form=b></form><input name=z form=a><input name=lost>
            <form id=b></form><input name=nowhere form=c>
            """)
        #expect(page.forms.map { $0.fields.map(\.name) } == [["x", "z"], ["y"]])
    }

    /// A form ends at its end tag and nowhere else, and there is no form in a form. The fields are those that Chromium
    /// sends.
    @Test(arguments: [
        ("<table>FORM<tr><td>U<td>USER</tr><tr><td>P<td>REST</tr></form></table>", ["user", "password"]),
        ("<table><tr>FORM<td>USER</td><td>REST</td></form></tr></table>", ["user", "password"]),
        (
            "<table><tr><td>FORM User</td><td>USER</td></tr><tr><td>REST</form></td></tr></table><input name=x>",
            ["user", "password"]
        ),
        (
            "<table><tr><td>FORM<input type=hidden name=t>User</td><td>USER</td></tr><tr><td>REST</form></table>",
            ["t", "user", "password"]
        ),
        ("<div>FORM</div>USER REST</form><input name=x>", ["user", "password"]),
        ("<p>FORM<p>USER<p>REST</p></form>", ["user", "password"]),
        ("FORM<form action=/wrong>USER REST</form></form><input name=x>", ["user", "password"]),
        ("FORM USER REST", ["user", "password"]),
        ("FORM USER REST<form action=/wrong><input name=x>", ["user", "password", "x"]),
        ("<form action=/enter />USER REST</form>", ["user", "password"]),
        ("<center>FORM<font></center>USER</font>REST</form>", ["user", "password"]),
        ("FORM<div>USER</form>REST</div><form action=/other><input name=x></form>", ["user", "password"]),
        (
            "FORM<!-- </form> --><script>'</form>'</script><input name=user value='</form>'><a title=it's></a>"
                + "<textarea name=t></form></textarea><input name=b></FORM ><input name=x>", ["user", "t", "b"]
        ),
    ]) func misnestedForms(html: String, fields: [String]) throws {
        let html = html.replacing("FORM", with: "<form method=post action=/enter>", maxReplacements: 1)
            .replacing("USER", with: "<input name=user>").replacing("REST", with: "<input type=password name=password>")
        let form = try #require(page(html).forms.first)
        #expect(form.action == "/enter")
        #expect(form.fields.map(\.name) == fields)
    }

    @Test func aFormAfterAMisnestedEndIsAnother() {
        let forms = page("<form action=/search><div><input name=q></form></div><form action=/enter><input name=u>")
            .forms
        #expect(forms.map(\.action) == ["/search", "/enter"])
        #expect(forms.map { $0.fields.map(\.name) } == [["q"], ["u"]])
    }

    @Test func contentOutsideThePageIsIgnored() {
        let page = page(
            """
            <script>document.write("<form><input name=a></form>")</script><style>p{}</style>
            <template><form><input name=b></form></template><!-- <form><input name=c></form> -->
            <iframe><form><input name=d></form></iframe><div hidden>secret</div><p style="DISPLAY : none">no</p>yes
            """)
        #expect(page.forms.isEmpty)
        #expect(page.text == "yes")
        #expect(page.hasScripts)
    }

    @Test(arguments: [
        ("0", 0, nil), ("5; url=/next", 5, "/next"), ("0;URL='a b?c'", 0, "a b?c"), ("1, \"x\"", 1, "x"),
        ("0;/plain", 0, "/plain"), (" 3.5 ;url = y", 3, "y"),
    ]) func refresh(content: String, delay: Int, url: String?) throws {
        let content = content.replacing("\"", with: "&quot;")
        let refresh = try #require(page("<meta http-equiv=Refresh content=\"\(content)\">").refresh)
        #expect(refresh.delay == delay && refresh.url == url)
    }

    @Test(arguments: [
        ("<head><noscript>%</noscript></head>", true), ("<body><noscript><div>%</div></noscript>", true),
        ("<head><noscript></noscript>%</head>", false), ("<head>%<noscript>%</noscript></head>", false),
    ]) func aRefreshMayBeForBrowsersWithoutScripts(html: String, isForScriptless: Bool) throws {
        let tag = "<meta http-equiv=refresh content='0; url=/off'>"
        let refresh = try #require(page(html.replacing("%", with: tag)).refresh)
        #expect(refresh.isForScriptless == isForScriptless && refresh.url == "/off")
    }

    @Test func links() {
        let links = page("<a href=/a>One <b>two</b></a><a name=x>no</a><a href='b&amp;c'><img alt=y></a>").links
        #expect(links.map(\.href) == ["/a", "b&c"])
        #expect(links.map(\.text) == ["One two", ""])
    }

    @Test func scriptsAreNoticed() {
        #expect(page("<div id=root></div><script src=a.js></script><noscript>Enable it</noscript>").hasScripts)
        #expect(!page("<p>Logged out").hasScripts)
    }

    // MARK: Charsets

    static let umlauts = "<title>Grüße €</title><form><input name=ü value='ä'></form>"

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF] + Array(umlauts.utf8), "text/html; charset=iso-8859-1", "UTF-8"),
            (Array(umlauts.utf8), nil, "UTF-8"),
            (Array(umlauts.utf8), "text/html;charset=\"UTF-8\"", "UTF-8"),
            (windows1252(umlauts), "text/html; Charset=ISO-8859-1", "windows-1252"),
            (
                windows1252("<META http-equiv=x content='text/html; charset=windows-1252'>" + umlauts), "text/html",
                "windows-1252"
            ),
            (windows1252("<meta name=a><meta charset=latin1>" + umlauts), nil, "windows-1252"),
            (Array(("<meta charset=utf-16>" + umlauts).utf8), nil, "UTF-8"),
            ([0xFF, 0xFE] + umlauts.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }, nil, "UTF-16LE"),
            (
                umlauts.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } + [0], "text/html; charset=utf-16be",
                "UTF-16BE"
            ),
        ] as [([UInt8], String?, String)])
    func charsets(bytes: [UInt8], contentType: String?, name: String) throws {
        let page = HTMLPage(bytes, contentType: contentType)
        #expect(page.charset.name == name)
        #expect(page.title == "Grüße €")
        let field = try #require(page.forms.first?.fields.first)
        #expect(field.name == "ü" && field.value == "ä")
    }

    private static func windows1252(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { $0 == "€" ? 0x80 : UInt8($0.value) }
    }

    @Test func otherCharsetsOfForms() throws {
        let latin = try #require(HTMLCharset(label: "latin1"))
        #expect(latin.encode("ä€д") == [0xE4, 0x80] + Array("&#1076;".utf8))
        let cyrillic = try #require(HTMLCharset(label: "windows-1251"))
        #expect(cyrillic.encode("дü") == [0xE4] + Array("&#252;".utf8))
        #expect(HTMLPage([0xE4], contentType: "text/html; charset=windows-1251").text == "д")
        #expect(HTMLCharset(label: "klingon") == nil)
    }

    /// The bytes of the charset's names in the Encoding Standard.
    @Test(
        arguments: [
            ("iso-8859-1", [0xE9]), ("iso-8859-2", [0xE9]), ("iso-8859-15", [0xE9]), ("windows-1250", [0xE9]),
            ("windows-1254", [0xE9]), ("utf-8", [0xC3, 0xA9]), ("utf-16", [0xC3, 0xA9]),
            ("windows-1251", Array("&#233;".utf8)), ("windows-1253", Array("&#233;".utf8)),
            ("koi8-r", Array("&#233;".utf8)),
        ] as [(String, [UInt8])]) func oneByteOrAReference(label: String, bytes: [UInt8]) throws
    {
        let charset = try #require(HTMLCharset(label: label))
        #expect(charset.encode("aZ9é") == Array("aZ9".utf8) + bytes)
        #expect(charset.canEncode("aZ9é日"), "a browser sends the same bytes")
    }

    @Test(
        arguments: [
            ("iso_8859-1", "windows-1252"), ("iso88591", "windows-1252"), ("cp819", "windows-1252"),
            ("x-cp1252", "windows-1252"), ("csisolatin1", "windows-1252"), ("x-cp1251", "windows-1251"),
            ("iso_8859-2:1987", "ISO-8859-2"), ("iso_8859-15", "ISO-8859-15"), ("ms_kanji", "Shift_JIS"),
            ("cp1255", "windows-1255"), ("ks_c_5601-1987", "EUC-KR"), ("iso-2022-jp", "ISO-2022-JP"),
            ("macintosh", "macintosh"), ("cp866", "IBM866"), (" UTF8 ", "UTF-8"),
        ]) func labels(label: String, name: String)
    {
        #expect(HTMLCharset(label: label)?.name == name)
    }

    /// No label stands for another charset without a word: an umlaut is sent in the charset, or not at all.
    @Test func everyLabelIsConvertedOrRefused() throws {
        #expect(CharsetLabels.all.count > 200)
        let bytes = [[0xE9], [0xC3, 0xA9], Array("&#233;".utf8)]
        for label in CharsetLabels.all where !["EUC-JP", "Shift_JIS"].contains(CharsetLabels.name(of: label)) {
            let charset = try #require(HTMLCharset(label: label))
            #expect(!charset.canEncode("é") || bytes.contains(charset.encode("é")), "\(label)")
        }
    }

    @Test(arguments: [
        "shift_jis", "euc-jp", "gb18030", "gbk", "big5", "euc-kr", "koi8-u", "windows-874", "windows-1258",
        "iso-8859-3", "iso-8859-8-i", "iso-8859-16", "ibm866", "macintosh", "iso-2022-jp", "x-user-defined",
    ])
    func asciiIsSentAsItself(label: String) throws {
        let charset = try #require(HTMLCharset(label: label))
        #expect(charset.encode("aZ9&=<") == Array("aZ9&=<".utf8) && charset.canEncode("aZ9&=<"))
        // A character that is not converted is known to be one.
        #expect(charset.encode("д") != Array("&#1076;".utf8) || !charset.canEncode("д"))
        let page = HTMLPage(
            Array("<title>a".utf8) + [0xFF] + Array("b</title><form><input name=u></form>".utf8),
            contentType: "text/html; charset=\(label)")
        #expect(page.title.hasPrefix("a") && page.title.hasSuffix("b") && page.forms.first?.fields.first?.name == "u")
    }

    @Test(
        arguments: [
            ("iso-8859-15", 0xA4, "€"), ("koi8-r", 0xC1, "а"), ("iso-8859-2", 0xB1, "ą"), ("windows-1250", 0x8A, "Š"),
            ("windows-1251", 0x98, "\u{98}"), ("windows-1253", 0xE1, "α"), ("windows-1253", 0xD2, "\u{FFFD}"),
            ("windows-1254", 0xFD, "ı"), ("gb18030", 0xC4, "\u{FFFD}"),
        ] as [(String, UInt8, String)]) func oneByte(label: String, byte: UInt8, text: String) throws
    {
        let page = HTMLPage(
            Array("<form><input name=x value='".utf8) + [byte] + Array("'></form>".utf8),
            contentType: "text/html; charset=\(label)")
        #expect(page.forms.first?.fields.first?.value == text)
        if text != "\u{FFFD}" { #expect(page.charset.encode(text) == [byte]) }
    }
}
