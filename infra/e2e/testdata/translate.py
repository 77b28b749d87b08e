"""Prints what AWS SAM makes of a template, as JSON: translate.py template.yaml"""
import json
import logging
import os
import sys

logging.disable(logging.CRITICAL)
os.environ["AWS_DEFAULT_REGION"] = "eu-west-1"
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

with open(sys.argv[1]) as file:
    template = yaml_parse(file.read())
for resource in template["Resources"].values():
    if resource["Type"] == "AWS::Serverless::Function":
        resource["Properties"]["CodeUri"] = "s3://bucket/key"  # as `sam deploy` has uploaded it
parameters = {name: p.get("Default", "") for name, p in template.get("Parameters", {}).items()}
json.dump(Translator({}, Parser()).translate(template, parameters), sys.stdout, default=str)
