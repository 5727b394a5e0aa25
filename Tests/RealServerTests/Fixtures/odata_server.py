"""OData services: V4 by odatapy, V2 by pyslet, and V2 and V4 in SAP's manner by mock-sap.

odata_server.py DIRECTORY PORT SAP_PORT runs them in the foreground, odata_server.py --version names their versions.
/v4/ and /v2/ have the same products, in pages of seven; mock-sap has a port of its own. Each request to /v4/ and /v2/
is written to logs/received.log after it is answered.
"""
import json
import logging
import socket
import sys
import threading
import time
import uuid
from decimal import Decimal
from importlib.metadata import version
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

if sys.argv[1:] == ["--version"]:
    print(", ".join(f"{name} {version(name)}" for name in ["odatapy", "pyslet", "mock-sap"]))
    sys.exit()

DIRECTORY, PORT, SAP_PORT = sys.argv[1:]
ORIGIN = "http://127.0.0.1:" + PORT
COUNT = 50
PAGE = 7
AWKWARD = ["O'Neil's \"best\" 100 %", "Käse & Brot", "日本茶", "a+b=c?d#e/f", "semi;colon,comma", "emoji 🫖"]


def name(number):
    return AWKWARD[number - 1] if number <= len(AWKWARD) else f"Product {number}"


def price(number):
    """More digits than a double has."""
    return Decimal("1234567890123456.78") + number


def code(number):
    return uuid.UUID(f"0f8fad5b-d9cb-469f-a165-7086772895{number:02d}")


# V4


def v4():
    from datetime import date, datetime, time, timedelta, timezone

    from odatapy.data import Entity, ValueType
    from odatapy.edm import csdl
    from odatapy.server import OData
    from odatapy.server.adapters import ODataWSGIApp
    from odatapy.server.inmemory import InMemoryDataStore, InMemoryProcessor

    types = {
        "ID": "Int32", "Name": "String", "Price": "Decimal", "Code": "Guid", "Stock": "Int64", "IsSold": "Boolean",
        "Weight": "Double", "Digest": "Binary", "Released": "Date", "Changed": "DateTimeOffset", "Opens": "TimeOfDay",
        "Lasts": "Duration", "Remark": "String",
    }

    class Provider(csdl.CsdlAbstractEdmProvider):
        def get_schemas(self):
            properties = [
                csdl.CsdlProperty(
                    name=name, type="Edm." + kind, nullable=name != "ID",
                    precision=28 if kind == "Decimal" else 3 if kind in ["DateTimeOffset", "Duration"] else None,
                    scale=4 if kind == "Decimal" else None)
                for name, kind in types.items()
            ]
            product = csdl.CsdlEntityType(
                name="Product", key=[csdl.CsdlPropertyRef(name="ID")], properties=properties)
            container = csdl.CsdlEntityContainer(
                name="Container", entity_sets=[csdl.CsdlEntitySet(name="Products", type="Demo.Product")])
            return [csdl.CsdlSchema(namespace="Demo", entity_types=[product], entity_container=container)]

    class Tags:
        """All entities have one, and no change goes without it."""

        def has_etag(self, target):
            return True

        def has_media_etag(self, target):
            return False

    odata = OData.new_instance()
    handler = odata.create_handler(odata.create_service_metadata(Provider()))
    store = InMemoryDataStore()
    entities = []
    for number in range(1, COUNT + 1):
        entity = Entity()
        values = {
            "ID": number, "Name": name(number), "Price": price(number), "Code": code(number),
            "Stock": 9_007_199_254_740_990 + number, "IsSold": number % 2 == 0, "Weight": number / 10,
            "Digest": bytes([0, 255, number]), "Released": date(2026, 1, 1) + timedelta(days=number),
            "Changed": datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(hours=number),
            "Opens": time(7, number), "Lasts": timedelta(hours=25 * number, seconds=1),
            "Remark": None if number % 4 == 0 else f"Remark {number}",
        }
        for key, value in values.items():
            entity.set_property(key, value, ValueType.PRIMITIVE, "Edm." + types[key])
        entity.etag = 'W/"1"'
        entities.append(entity)
    store.set_entities("Products", entities)
    handler.register(InMemoryProcessor(store, page_size=PAGE))
    handler.custom_etag_support = Tags()
    return ODataWSGIApp(handler)


# V2

MODEL = """<?xml version="1.0" encoding="utf-8"?>
<edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx"
    xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">
  <edmx:DataServices m:DataServiceVersion="2.0">
    <Schema Namespace="Demo" xmlns="http://schemas.microsoft.com/ado/2006/04/edm">
      <EntityContainer Name="Container" m:IsDefaultEntityContainer="true">
        <EntitySet Name="Products" EntityType="Demo.Product"/>
      </EntityContainer>
      <EntityType Name="Product">
        <Key><PropertyRef Name="ID"/></Key>
        <Property Name="ID" Type="Edm.Int32" Nullable="false"/>
        <Property Name="Name" Type="Edm.String"/>
        <Property Name="Price" Type="Edm.Decimal" Precision="28" Scale="4"/>
        <Property Name="Code" Type="Edm.Guid"/>
        <Property Name="Stock" Type="Edm.Int64"/>
        <Property Name="IsSold" Type="Edm.Boolean"/>
        <Property Name="Weight" Type="Edm.Double"/>
        <Property Name="Digest" Type="Edm.Binary"/>
        <Property Name="Released" Type="Edm.DateTime"/>
        <Property Name="Changed" Type="Edm.DateTimeOffset"/>
        <Property Name="Length" Type="Edm.Single"/>
        <Property Name="Floor" Type="Edm.SByte"/>
        <Property Name="Colour" Type="Edm.Byte"/>
        <Property Name="Shelf" Type="Edm.Int16"/>
        <Property Name="Version" Type="Edm.Int32" Nullable="false" ConcurrencyMode="Fixed"/>
        <Property Name="Remark" Type="Edm.String"/>
      </EntityType>
    </Schema>
  </edmx:DataServices>
</edmx:Edmx>"""


def v2():
    from pyslet import iso8601
    from pyslet.odata2 import metadata
    from pyslet.odata2.server import Server
    from pyslet.odata2.sqlds import SQLiteEntityContainer

    document = metadata.Document()
    document.read(MODEL.encode())
    container = document.root.DataServices["Demo.Container"]
    # What it keeps in memory has no last page.
    SQLiteEntityContainer(file_path=DIRECTORY + "/products.db", container=container).create_all_tables()
    with container["Products"].open() as products:
        for number in range(1, COUNT + 1):
            entity = products.new_entity()
            entity["ID"].set_from_value(number)
            entity["Name"].set_from_value(name(number))
            entity["Price"].set_from_value(price(number))
            entity["Code"].set_from_value(code(number))
            entity["Stock"].set_from_value(9_007_199_254_740_990 + number)
            entity["IsSold"].set_from_value(number % 2 == 0)
            entity["Weight"].set_from_value(number / 10)
            entity["Digest"].set_from_value(bytes([0, 255, number]))
            entity["Released"].set_from_value(iso8601.TimePoint.from_str(f"2026-01-{number % 28 + 1:02d}T00:00:00"))
            moment = iso8601.TimePoint.from_str(f"2026-01-{number % 28 + 1:02d}T02:00:00+01:00")
            entity["Changed"].set_from_value(moment)
            entity["Length"].set_from_value(number / 2)
            entity["Floor"].set_from_value(-number)
            entity["Colour"].set_from_value(200 + number)
            entity["Shelf"].set_from_value(-1000 - number)
            entity["Version"].set_from_value(1)
            entity["Remark"].set_from_value(None if number % 4 == 0 else f"Remark {number}")
            products.insert_entity(entity)
    server = Server(ORIGIN + "/v2/")
    server.set_model(document)
    server.topmax = PAGE
    return server


SERVICES = {"v4": v4(), "v2": v2()}
writing = threading.Lock()


def answer(environ, start_response):
    path = environ["PATH_INFO"]
    first, _, rest = path.lstrip("/").partition("/")
    if first not in SERVICES:
        start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "6")])
        return [b"hello\n"]
    if first == "v4":
        environ["SCRIPT_NAME"], environ["PATH_INFO"] = "/v4", "/" + rest
    entry = {"method": environ["REQUEST_METHOD"], "path": path, "status": ""}
    entry["Authorization"], entry["Cookie"] = environ.get("HTTP_AUTHORIZATION", ""), environ.get("HTTP_COOKIE", "")
    if environ["QUERY_STRING"]:
        entry["path"] += "?" + environ["QUERY_STRING"]

    def started(status, fields, *more):
        entry["status"] = status.split()[0]
        return start_response(status, fields, *more)

    body = SERVICES[first](environ, started)
    with writing, open(DIRECTORY + "/logs/received.log", "a") as log:
        log.write(json.dumps(entry) + "\n")
    return body


class Threads(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128


class Quiet(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


def sap():
    from mocksap.__main__ import main

    sys.exit(main(["--port", SAP_PORT, "--quiet", "--require-if-match"]))


def serve(server):
    # The tests wait for an answer at this port, so it answers last.
    while socket.socket().connect_ex(("127.0.0.1", int(SAP_PORT))):
        time.sleep(0.05)
    server.serve_forever()


if __name__ == "__main__":
    logging.basicConfig(filename=DIRECTORY + "/logs/error.log", level=logging.WARNING)
    # Both ports belong to this process, or it ends and the tests try others.
    own = make_server("127.0.0.1", int(PORT), answer, Threads, Quiet)
    threading.Thread(target=serve, args=[own], daemon=True).start()
    sap()
